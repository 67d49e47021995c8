"""What everybody needs: errors, whole files, hashes, dice, one worker pool, progress."""
