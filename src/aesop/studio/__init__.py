"""`aesop studio`: a page in the browser on which a motion becomes a shot, and its project."""
