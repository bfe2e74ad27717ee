extends RefCounted
## Reads MessagePack that may be wrong or hostile: whatever the bytes are, nothing worse than [member problem] happens.
##
## Refused: extension types and byte strings, keys that are no text or come twice, text that is no UTF-8 or holds NUL,
## whole numbers beyond 63 bits, lists and maps of more than 1024 elements, more than 16 of them inside one another,
## more than 16384 values in all, more than 1 MiB, and bytes that are missing or left over.

const Utf8 := preload("utf8.gd")
const Writer := preload("msgpack_writer.gd")

const MAX_VALUES := 16_384

## What is wrong with the last bytes; empty if nothing is.
var problem := ""

var _bytes := PackedByteArray()
var _numbers := StreamPeerBuffer.new()
var _at := 0
var _values := 0


func _init() -> void:
	_numbers.big_endian = true


## The value that [param bytes] hold; null when they hold none, and [member problem] then says why.
func read(bytes: PackedByteArray) -> Variant:
	problem = ""
	if bytes.size() > Writer.MAX_BYTES:
		problem = "%d bytes, at most %d are allowed" % [bytes.size(), Writer.MAX_BYTES]
		return null
	_bytes = bytes
	_numbers.data_array = bytes
	_at = 0
	_values = 0
	var value: Variant = _value(0)
	if problem.is_empty() and _at < bytes.size():
		problem = "%d bytes are left over" % (bytes.size() - _at)
	if not problem.is_empty():
		return null
	return value


func _value(depth: int) -> Variant:
	_values += 1
	if _values > MAX_VALUES:
		problem = "more than %d values" % MAX_VALUES
	if not _has(1):
		return null
	var head := _bytes[_at]
	_at += 1
	if head < 0x80:
		return head
	if head >= 0xA0 and head < 0xC0:
		return _text(head & 0x1F)
	if head < 0x90:
		return _map(head & 0x0F, depth + 1)
	if head < 0xA0:
		return _list(head & 0x0F, depth + 1)
	if head >= 0xE0:
		return head - 0x100
	match head:
		0xC0:
			return null
		0xC2:
			return false
		0xC3:
			return true
		0xCA, 0xCB:
			return _float(head == 0xCB)
		0xCC, 0xCD, 0xCE, 0xCF:
			return _unsigned(1 << (head - 0xCC))
		0xD0, 0xD1, 0xD2, 0xD3:
			return _signed(1 << (head - 0xD0))
		0xD9, 0xDA, 0xDB:
			return _text(_size(1 << (head - 0xD9)))
		0xDC, 0xDD:
			return _list(_size(2 << (head - 0xDC)), depth + 1)
		0xDE, 0xDF:
			return _map(_size(2 << (head - 0xDE)), depth + 1)
	problem = "a byte string, an extension type, or the byte that MessagePack never uses"
	return null


func _list(count: int, depth: int) -> Variant:
	if not _may_hold(count, depth):
		return null
	var list := []
	for _index: int in count:
		list.append(_value(depth))
		if not problem.is_empty():
			return null
	return list


func _map(count: int, depth: int) -> Variant:
	if not _may_hold(count, depth):
		return null
	var map := {}
	for _index: int in count:
		var key: Variant = _value(depth)
		if problem.is_empty() and not key is String:
			problem = "a key is no text"
		elif problem.is_empty() and map.has(key):
			problem = "a key comes twice"
		if not problem.is_empty():
			return null
		map[key] = _value(depth)
		if not problem.is_empty():
			return null
	return map


func _text(size: int) -> Variant:
	if not _has(size):
		return null
	var bytes := _bytes.slice(_at, _at + size)
	_at += size
	if not Utf8.is_text(bytes):
		problem = "text that is not UTF-8, or holds NUL"
		return null
	return bytes.get_string_from_utf8()


func _float(is_double: bool) -> float:
	if not _has(8 if is_double else 4):
		return 0.0
	_numbers.seek(_at)
	_at += 8 if is_double else 4
	return _numbers.get_double() if is_double else _numbers.get_float()


func _unsigned(width: int) -> int:
	var value := _size(width)
	if value < 0 and problem.is_empty():
		problem = "a whole number beyond 63 bits"
	return value


func _signed(width: int) -> int:
	if not _has(width):
		return 0
	_numbers.seek(_at)
	_at += width
	match width:
		1:
			return _numbers.get_8()
		2:
			return _numbers.get_16()
		4:
			return _numbers.get_32()
	return _numbers.get_64()


## A whole number of [param width] bytes, without a sign unless it is one of eight bytes.
func _size(width: int) -> int:
	if not _has(width):
		return 0
	_numbers.seek(_at)
	_at += width
	match width:
		1:
			return _numbers.get_u8()
		2:
			return _numbers.get_u16()
		4:
			return _numbers.get_u32()
	return _numbers.get_u64()


func _has(size: int) -> bool:
	if problem.is_empty() and _at + size > _bytes.size():
		problem = "%d bytes are missing" % (_at + size - _bytes.size())
	return problem.is_empty()


func _may_hold(count: int, depth: int) -> bool:
	if not problem.is_empty():
		return false
	if count > Writer.MAX_ELEMENTS:
		problem = "%d elements, at most %d are allowed" % [count, Writer.MAX_ELEMENTS]
	elif depth > Writer.MAX_DEPTH:
		problem = "nested more than %d deep" % Writer.MAX_DEPTH
	return problem.is_empty()
