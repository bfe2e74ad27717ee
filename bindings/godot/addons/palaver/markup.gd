class_name PalaverMarkup
extends RefCounted
## Makes text safe to show in a [RichTextLabel] with BBCode.
##
## A character's line is made by a model and may hold anything, a bracket too. Only text that went through here belongs
## between tags.


## The text with its brackets shown as brackets instead of being taken for tags.
static func escape(text: String) -> String:
	return text.replace("[", "[lb]")


## A draft with the part that may still change in another colour; escaped, if the ask has not had that done already.
static func draft(shown: PalaverDraft, unsettled: Color) -> String:
	var settled := _shown(shown.settled(), shown.escape)
	var rest := _shown(shown.unsettled(), shown.escape)
	return settled if rest.is_empty() else "%s[color=#%s]%s[/color]" % [settled, unsettled.to_html(), rest]


static func _shown(text: String, escaped_for: String) -> String:
	return text if escaped_for == "bbcode" else escape(text)
