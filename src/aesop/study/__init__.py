"""The paired user study: plan, stimuli, the page and its server, the record, and the analysis."""
