extends RefCounted
## What a character remembers: its last turns word by word, and what came before them in a few sentences.

## The sidecar remembers as many.
const MAX_TURNS := 16
## Turns that stay word by word when those before them are told as a summary.
const KEPT_TURNS := 4
const MAX_TEXT_CHARS := 4000

## Oldest first, each what the player said and what the character answered.
var turns: Array[PackedStringArray] = []
## What was said before them; empty for nothing.
var summary := ""


## Remember a turn, and forget the oldest where there are too many.
func remember(asked: String, answer: String) -> void:
	turns.append(PackedStringArray([asked, answer.left(MAX_TEXT_CHARS)]))
	if turns.size() > MAX_TURNS:
		turns.remove_at(0)


## Let [param text] stand for all but the last [param keep] turns.
func summarise(text: String, keep: int) -> void:
	summary = text
	turns = turns.slice(maxi(turns.size() - keep, 0))


## True when there is nothing to remember.
func is_empty() -> bool:
	return turns.is_empty() and summary.is_empty()
