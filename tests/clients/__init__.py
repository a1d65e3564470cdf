"""Real clients of HNS against the emulator: programs built for Windows, under Wine, and Linux programs."""
