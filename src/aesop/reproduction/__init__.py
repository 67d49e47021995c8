"""The paper's protocol from raw files to tables and figures, in one order that can be resumed."""
