class_name Balloon
extends PanelContainer
## A speech balloon that shows a line while it resolves: settled words solid, the others faint.

const MARGIN_PX := 8.0
const TAIL_PX := Vector2(26, 20)
const TEXT_WIDTHS_PX := Vector2(64, 250)
const UNSETTLED := Color(0.17, 0.11, 0.07, 0.36)
const WAITING := "[pulse freq=1.5 color=#2b1a1040]•  •  •[/pulse]"
const PAPER := Color("f6ead0")
const EDGE := Color("4a2f1c")

## What the tail points at, in the parent's coordinates.
var tip := Vector2.ZERO
## How far its middle is to the right of that.
var lean_px := 0.0

@onready var _text: RichTextLabel = $Text


func _ready() -> void:
	resized.connect(_place)
	# The text knows its height only after it was laid out in its new width, and a panel does not shrink by itself.
	_text.minimum_size_changed.connect(reset_size, CONNECT_DEFERRED)
	hide()


func show_waiting() -> void:
	_show(WAITING, "•  •  •")


func show_draft(draft: PalaverDraft) -> void:
	_show(PalaverMarkup.draft(draft, UNSETTLED), draft.text)


func show_text(text: String) -> void:
	_show(PalaverMarkup.escape(text), text)


func fall_silent() -> void:
	hide()


func _show(bbcode: String, plain: String) -> void:
	var font := _text.get_theme_font(&"normal_font")
	var font_size := _text.get_theme_font_size(&"normal_font_size")
	var width_px := font.get_string_size(plain, HORIZONTAL_ALIGNMENT_LEFT, -1, font_size).x
	_text.custom_minimum_size.x = clampf(ceilf(width_px) + 2.0, TEXT_WIDTHS_PX.x, TEXT_WIDTHS_PX.y)
	_text.text = bbcode
	show()
	reset_size()
	_place()


func _place() -> void:
	var parent: Node2D = get_parent()
	var left_most := MARGIN_PX - parent.position.x
	var right_most := get_viewport_rect().size.x - MARGIN_PX - size.x - parent.position.x
	# A short balloon leans less: its tail starts below it in any case.
	var most_px := size.x / 2.0 - TAIL_PX.x
	var lean := clampf(lean_px, -most_px, most_px)
	position.x = clampf(tip.x + lean - size.x / 2.0, left_most, right_most)
	position.y = tip.y - TAIL_PX.y - size.y
	queue_redraw()


func _draw() -> void:
	var end := tip - position
	var middle := clampf(end.x, TAIL_PX.x, size.x - TAIL_PX.x)
	var left := Vector2(middle - TAIL_PX.x / 2.0, size.y - 2.0)
	var right := Vector2(middle + TAIL_PX.x / 2.0, size.y - 2.0)
	draw_colored_polygon(PackedVector2Array([left, right, end]), PAPER)
	draw_polyline(PackedVector2Array([left + Vector2(0, 1), end, right + Vector2(0, 1)]), EDGE, 2.0, true)
