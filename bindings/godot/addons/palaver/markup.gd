class_name PalaverMarkup
extends RefCounted
## Makes text safe to show in a [RichTextLabel] with BBCode.
##
## A character's line is made by a model and may hold anything, a bracket too. Only text that went through here belongs
## between tags.


## The text with its brackets shown as brackets instead of being taken for tags.
static func escape(text: String) -> String:
	return text.replace("[", "[lb]")


## A draft with the part that may still change in another colour; escaped.
static func draft(shown: PalaverDraft, unsettled: Color) -> String:
	var rest := shown.unsettled()
	if rest.is_empty():
		return escape(shown.text)
	return "%s[color=#%s]%s[/color]" % [escape(shown.settled()), unsettled.to_html(), escape(rest)]
