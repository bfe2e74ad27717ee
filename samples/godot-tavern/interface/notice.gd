class_name Notice
extends Label
## A short message that goes away by itself.

const SHOWN_S := 2.5
const FADING_S := 0.5

var _fading: Tween


func _ready() -> void:
	modulate.a = 0.0


func tell(message: String) -> void:
	text = message
	modulate.a = 1.0
	if _fading != null:
		_fading.kill()
	_fading = create_tween()
	_fading.tween_interval(SHOWN_S)
	_fading.tween_property(self, ^"modulate:a", 0.0, FADING_S)
