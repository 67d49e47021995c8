"""What things are: skeleton, motion, camera path, framing, tags, shot. No files, no networks."""
