"""Numbers the networks see: named columns, statistics, human 199 and camera 14."""
