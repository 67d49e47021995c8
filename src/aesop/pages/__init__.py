"""Tables, figures and sheets from what was measured."""
