"""What changes: feeds that bring documents, the queue of refreshes asked for, what two versions differ in (RARE §4)."""
