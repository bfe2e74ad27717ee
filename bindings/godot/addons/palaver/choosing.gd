class_name PalaverChoosing
extends PalaverRequest
## One choice that a character was given, from [method PalaverClient.choose] to its end.

## It is over; the choice of a cancelled one has the source CANCELLED.
@warning_ignore("unused_signal")
signal ended(choice: PalaverChoice)

## What the character may choose from.
var answers := PackedStringArray()
## How it ended; null while it is open.
var choice: PalaverChoice
