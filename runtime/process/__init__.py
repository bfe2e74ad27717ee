"""The life of the sidecar's process: how it starts, what it hangs on, where it writes, how it ends."""
