extends RefCounted
## Typed values out of a decoded message, whatever is really in it.


## The text under [param key], or [param default] where there is none.
static func text(fields: Dictionary, key: String, default := "") -> String:
	var value: Variant = fields.get(key)
	if value is String:
		return value
	return default


## The whole number under [param key], or [param default] where there is none.
static func whole(fields: Dictionary, key: String, default := 0) -> int:
	var value: Variant = fields.get(key)
	if value is int:
		return value
	return default


## The number under [param key], or [param default] where there is none.
static func number(fields: Dictionary, key: String, default := 0.0) -> float:
	var value: Variant = fields.get(key)
	if value is float or value is int:
		return value
	return default


## Whether true stands under [param key].
static func flag(fields: Dictionary, key: String) -> bool:
	var value: Variant = fields.get(key)
	return value is bool and value == true


## The map under [param key], or an empty one where there is none.
static func map(fields: Dictionary, key: String) -> Dictionary:
	var value: Variant = fields.get(key)
	if value is Dictionary:
		return value
	return {}


## The texts under [param key]; none where there is no list of nothing but text.
static func texts(fields: Dictionary, key: String) -> PackedStringArray:
	var value: Variant = fields.get(key)
	if value is PackedStringArray:
		return value
	if value is Array:
		var list: Array = value
		if list.all(func(element: Variant) -> bool: return element is String):
			return PackedStringArray(list)
	return PackedStringArray()


## The numbers under [param key]; none where there is no list of nothing but numbers.
static func numbers(fields: Dictionary, key: String) -> PackedFloat64Array:
	var value: Variant = fields.get(key)
	if value is Array:
		var list: Array = value
		if list.all(func(element: Variant) -> bool: return element is float or element is int):
			return PackedFloat64Array(list)
	return PackedFloat64Array()
