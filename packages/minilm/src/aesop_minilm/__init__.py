"""The files of all-MiniLM-L6-v2, unchanged, in the folder `model`. AESOP reads them."""
