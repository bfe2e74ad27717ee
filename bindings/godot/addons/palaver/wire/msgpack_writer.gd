extends RefCounted
## Writes values as MessagePack: whole numbers in their shortest form, floats as float64, text as str.
##
## One writer can be used again and again; it keeps its buffer.

const MAX_BYTES := 1 << 20
const MAX_ELEMENTS := 1024
const MAX_DEPTH := 16

## Why the last value could not be written; empty if it was.
var problem := ""

var _out := StreamPeerBuffer.new()


func _init() -> void:
	_out.big_endian = true


## The bytes of [param value]: nil, bool, int, float, text, and lists and maps of these; keys are text.
## Empty when it cannot be written; [member problem] then says why.
func write(value: Variant) -> PackedByteArray:
	problem = ""
	_out.clear()
	_put(value, 0)
	if problem.is_empty() and _out.get_size() > MAX_BYTES:
		problem = "%d bytes, at most %d are allowed" % [_out.get_size(), MAX_BYTES]
	return _out.data_array if problem.is_empty() else PackedByteArray()


func _put(value: Variant, depth: int) -> void:
	match typeof(value):
		TYPE_NIL:
			_out.put_u8(0xC0)
		TYPE_BOOL:
			_out.put_u8(0xC3 if value else 0xC2)
		TYPE_INT:
			var whole: int = value
			_put_int(whole)
		TYPE_FLOAT:
			var number: float = value
			_out.put_u8(0xCB)
			_out.put_double(number)
		TYPE_STRING, TYPE_STRING_NAME:
			var text: String = value
			_put_text(text)
		TYPE_DICTIONARY:
			var map: Dictionary = value
			_put_map(map, depth + 1)
		TYPE_ARRAY, TYPE_PACKED_STRING_ARRAY:
			var list: Array = value
			_put_list(list, depth + 1)
		_:
			problem = "a %s cannot be sent" % type_string(typeof(value))


func _put_int(value: int) -> void:
	if value >= -32 and value < 128:
		_out.put_8(value)
	elif value >= 0:
		if value < 1 << 8:
			_out.put_u8(0xCC)
			_out.put_u8(value)
		elif value < 1 << 16:
			_out.put_u8(0xCD)
			_out.put_u16(value)
		elif value < 1 << 32:
			_out.put_u8(0xCE)
			_out.put_u32(value)
		else:
			_out.put_u8(0xCF)
			_out.put_u64(value)
	elif value >= -(1 << 7):
		_out.put_u8(0xD0)
		_out.put_8(value)
	elif value >= -(1 << 15):
		_out.put_u8(0xD1)
		_out.put_16(value)
	elif value >= -(1 << 31):
		_out.put_u8(0xD2)
		_out.put_32(value)
	else:
		_out.put_u8(0xD3)
		_out.put_64(value)


func _put_text(text: String) -> void:
	var bytes := text.to_utf8_buffer()
	var size := bytes.size()
	if size < 32:
		_out.put_u8(0xA0 | size)
	elif size < 1 << 8:
		_out.put_u8(0xD9)
		_out.put_u8(size)
	elif size < 1 << 16:
		_out.put_u8(0xDA)
		_out.put_u16(size)
	else:
		_out.put_u8(0xDB)
		_out.put_u32(size)
	_out.put_data(bytes)


func _put_list(list: Array, depth: int) -> void:
	if not _fits(list.size(), depth):
		return
	if list.size() < 16:
		_out.put_u8(0x90 | list.size())
	else:
		_out.put_u8(0xDC)
		_out.put_u16(list.size())
	for element: Variant in list:
		_put(element, depth)


func _put_map(map: Dictionary, depth: int) -> void:
	if not _fits(map.size(), depth):
		return
	if map.size() < 16:
		_out.put_u8(0x80 | map.size())
	else:
		_out.put_u8(0xDE)
		_out.put_u16(map.size())
	for key: Variant in map:
		if not (key is String or key is StringName):
			problem = "a key must be text"
			return
		var name: String = key
		_put_text(name)
		_put(map[key], depth)


func _fits(elements: int, depth: int) -> bool:
	if elements > MAX_ELEMENTS:
		problem = "%d elements, at most %d are allowed" % [elements, MAX_ELEMENTS]
	elif depth > MAX_DEPTH:
		problem = "nested more than %d deep" % MAX_DEPTH
	return problem.is_empty()
