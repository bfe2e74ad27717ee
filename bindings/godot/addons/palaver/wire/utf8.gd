extends RefCounted
## Whether bytes are text.
##
## Godot decodes what is broken as well, but writes an error to the log for each piece of it. Bytes that come from
## outside must not be able to do that, so they are looked at first.

## Eight bytes with their highest bits set: where none of these is, all eight are ASCII.
const _HIGH_BITS := -0x7f7f7f7f7f7f7f80
## The highest bit of each byte of [code]x - _ONES[/code] is set where [code]x[/code] has a zero byte, if all are ASCII.
const _ONES := 0x0101010101010101


## True when [param bytes] are valid UTF-8 without NUL, which a [String] cannot hold.
static func is_text(bytes: PackedByteArray) -> bool:
	var at := 0
	var size := bytes.size()
	while at < size:
		if at + 8 <= size:
			var eight := bytes.decode_u64(at)
			if eight & _HIGH_BITS == 0 and (eight - _ONES) & _HIGH_BITS == 0:
				at += 8
				continue
		var first := bytes[at]
		var length := 1
		if first == 0:
			return false
		if first >= 0x80:
			length = _long_character_bytes(bytes, at, size)
			if length == 0:
				return false
		at += length
	return true


## Bytes of the character at [param at], which has more than one; 0 if there is no valid one.
static func _long_character_bytes(bytes: PackedByteArray, at: int, size: int) -> int:
	var first := bytes[at]
	var length := 2 if first < 0xE0 else 3 if first < 0xF0 else 4
	if first < 0xC2 or first > 0xF4 or at + length > size:
		return 0
	# Of the second byte a part is ruled out behind these: longer forms of shorter characters, surrogates, and what is
	# beyond the last code point.
	var second := bytes[at + 1]
	var lowest := 0xA0 if first == 0xE0 else 0x90 if first == 0xF0 else 0x80
	var highest := 0x9F if first == 0xED else 0x8F if first == 0xF4 else 0xBF
	if second < lowest or second > highest:
		return 0
	for offset: int in range(2, length):
		if bytes[at + offset] & 0xC0 != 0x80:
			return 0
	return length
