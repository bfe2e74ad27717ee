class_name PalaverAsk
extends PalaverRequest
## One ask that was put to a character, from [method PalaverClient.ask] to its end.

## The line so far, for an ask with [code]draft_every_ms[/code].
@warning_ignore("unused_signal")
signal drafted(draft: PalaverDraft)
## The ask is over; the line of a cancelled one has the source CANCELLED.
@warning_ignore("unused_signal")
signal ended(line: PalaverLine)

## How it ended; null while it is open.
var line: PalaverLine
