"""Words to features: frozen encoders behind one interface, cached on disk."""
