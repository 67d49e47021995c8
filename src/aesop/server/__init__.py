"""`aesop serve`: films over HTTP on loopback, with a queue and a folder that outlives it."""
