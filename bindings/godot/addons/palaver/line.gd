class_name PalaverLine
extends RefCounted
## What a character answered, and where the answer came from.

enum Source {
	MODEL,  ## The model finished the line.
	DRAFT,  ## Time was over; what the model had was good enough to be said.
	FALLBACK,  ## A line that was written beforehand, such as one of [member PalaverPersona.fallbacks].
	CANCELLED,  ## The ask was cancelled; there is no text.
}

## What the character says, written as the ask's [code]escape[/code] wants it: without markup, if it wants nothing. Use
## [method bbcode] for a [RichTextLabel] with BBCode.
var text := ""
## Where it came from.
var source := Source.CANCELLED
## Why it ended: [code]stop[/code], [code]max_tokens[/code], [code]deadline[/code], [code]empty[/code],
## [code]banned[/code], [code]secret[/code] (it would have told one), [code]repeat[/code], [code]filtered[/code] (by the
## game's own filter); [code]cancelled[/code]; or, for a fallback that the addon made itself, [code]timeout[/code],
## [code]unreachable[/code] or the code of the sidecar's error. Later versions may have more.
var finish_reason := ""
## Asked again with this seed, and with [code]steps[/code] = [member steps_planned], the model says the same.
@warning_ignore("shadowed_global_identifier")
var seed := 0
## Most denoising steps of a canvas.
var steps_planned := 0
## Denoising steps that were run.
var steps_done := 0
## Canvases that were finished.
var canvases := 0
## Tokens of the text; 0 for a fallback.
var tokens := 0
## How often the first canvas was drawn anew, for it was empty or held what may not be said.
var rerolls := 0
## How sure the model was, 0 to 1; 0 for a fallback.
var confidence := 0.0
## Whether the text can be made again with the same seed.
var deterministic := false
## Stage directions that stood in the text and were taken out of it: [code]sighs[/code].
var directions := PackedStringArray()
## What the character does beside saying this; null for nothing.
var action: PalaverAction
## The text before it was escaped; it is what the character remembers.
var plain_text := ""
## The ask's [code]escape[/code]: what [member text] may be handed to without care.
var escape := "plain"
## Milliseconds: [code]queue_ms[/code], [code]encode_ms[/code], [code]denoise_ms[/code], [code]compute_ms[/code],
## [code]total_ms[/code]. Empty for a line that the addon made itself.
var timings := {}
## Who answered: the id that was asked.
var npc_id := ""
## What the player had said.
var asked := ""


## The text for a [RichTextLabel] with BBCode: brackets in it are shown, not obeyed. Those that the game itself has
## written into a template are obeyed, if the line was asked for with the [code]escape[/code] "bbcode".
func bbcode() -> String:
	return text if escape == "bbcode" else PalaverMarkup.escape(plain_text)


## True for a line that was written beforehand.
func is_authored() -> bool:
	return source == Source.FALLBACK


## The source in lower case: [code]model[/code], [code]draft[/code], [code]fallback[/code] or [code]cancelled[/code].
func source_name() -> String:
	var names: Array = Source.keys()
	var name: String = names[source]
	return name.to_lower()
