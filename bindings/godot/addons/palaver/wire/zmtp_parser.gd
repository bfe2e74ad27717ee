extends RefCounted
## Takes the bytes of a ZMTP connection apart, in whatever pieces they arrive.
##
## Feed it what came, call [method advance] until it returns false, and send what is in [member outgoing].

const Zmtp := preload("zmtp.gd")

enum Stage { GREETING, HANDSHAKE, TRAFFIC, FAILED }

## A peer that announces a larger frame is not one that speaks Palaver's protocol.
const MAX_FRAME_BYTES := 1 << 20
const _MAX_PING_CONTEXT_BYTES := 16

## How far the connection has come.
var stage := Stage.GREETING
## Why the stage is FAILED.
var problem := ""
## The message that [method advance] found.
var message := PackedByteArray()
## What has to be sent to the peer now; whoever sends it clears it.
var outgoing := PackedByteArray()
## Messages of more than one frame, which Palaver has none of; they were skipped.
var skipped := 0

var _buffer := PackedByteArray()
var _at := 0
var _inside_skipped := false


## Take in bytes from the peer.
func feed(bytes: PackedByteArray) -> void:
	if _at > 0:
		_buffer = _buffer.slice(_at)
		_at = 0
	_buffer.append_array(bytes)


## How much was fed and not worked through yet.
func waiting_bytes() -> int:
	return _buffer.size() - _at


## Work through what was fed up to the next message: true when there is one in [member message].
func advance() -> bool:
	if stage == Stage.GREETING:
		_read_greeting()
	while stage == Stage.HANDSHAKE or stage == Stage.TRAFFIC:
		if _buffer.size() - _at < 2:
			return false
		var flags := _buffer[_at]
		var size := _frame_size(flags)
		if size < 0:
			return false
		var body := _buffer.slice(_at, _at + size)
		_at += size
		if flags & Zmtp.COMMAND != 0:
			_take_command(body)
		elif stage == Stage.HANDSHAKE:
			_fail("a message before the handshake was over")
		elif _is_whole_message(flags):
			message = body
			return true
	return false


func _read_greeting() -> void:
	var size := _buffer.size()
	if (size > 0 and _buffer[0] != 0xFF) or (size > 9 and _buffer[9] != 0x7F):
		_fail("the peer does not speak ZMTP")
	elif size > 10 and _buffer[10] < 3:
		_fail("the peer speaks an old version of ZMTP")
	elif size >= Zmtp.GREETING_BYTES:
		if _buffer.slice(12, 32) != Zmtp.greeting().slice(12, 32):
			_fail("the peer's mechanism is not NULL")
			return
		_at = Zmtp.GREETING_BYTES
		stage = Stage.HANDSHAKE
		outgoing.append_array(Zmtp.ready_command())


## Moves behind the head of the frame that begins at the current byte. Returns the size of its body, or -1 where the
## frame is not all there, or not a frame.
func _frame_size(flags: int) -> int:
	var is_command_part := flags & Zmtp.COMMAND != 0 and flags & Zmtp.MORE != 0
	if is_command_part or flags & ~(Zmtp.MORE | Zmtp.LONG | Zmtp.COMMAND) != 0:
		return _fail("a frame has impossible flags")
	var head_bytes := 9 if flags & Zmtp.LONG != 0 else 2
	var available := _buffer.size() - _at
	if available < head_bytes:
		return -1
	var size := 0
	for index: int in range(1, head_bytes):
		size = size << 8 | _buffer[_at + index]
	# A size of 64 bits with the highest one set comes out negative.
	if size < 0 or size > MAX_FRAME_BYTES:
		return _fail("a frame is larger than %d bytes" % MAX_FRAME_BYTES)
	if available < head_bytes + size:
		return -1
	_at += head_bytes
	return size


func _is_whole_message(flags: int) -> bool:
	var is_part := _inside_skipped or flags & Zmtp.MORE != 0
	_inside_skipped = flags & Zmtp.MORE != 0
	if is_part and not _inside_skipped:
		skipped += 1
	return not is_part


func _take_command(body: PackedByteArray) -> void:
	if body.is_empty() or body.size() <= body[0]:
		_fail("a command has no name")
		return
	var name := body.slice(1, 1 + body[0])
	var rest := body.slice(1 + body[0])
	if name == "READY".to_ascii_buffer() and stage == Stage.HANDSHAKE:
		stage = Stage.TRAFFIC
	elif name == "ERROR".to_ascii_buffer():
		_fail("the peer refused the connection")
	elif name == "PING".to_ascii_buffer() and stage == Stage.TRAFFIC and rest.size() >= 2:
		outgoing.append_array(Zmtp.pong_command(rest.slice(2, 2 + _MAX_PING_CONTEXT_BYTES)))


func _fail(why: String) -> int:
	stage = Stage.FAILED
	problem = why
	return -1
