extends RefCounted
## The bytes of ZMTP 3.0, the protocol of ZeroMQ sockets, with the NULL mechanism: what a DEALER sends.
##
## Specification: https://rfc.zeromq.org/spec/23/

const GREETING_BYTES := 64
const MORE := 1
const LONG := 2
const COMMAND := 4


## The first bytes of a connection: signature, version 3.0, mechanism NULL, not a server.
static func greeting() -> PackedByteArray:
	var bytes := PackedByteArray()
	bytes.resize(GREETING_BYTES)
	bytes[0] = 0xFF
	bytes[9] = 0x7F
	bytes[10] = 3
	var mechanism := "NULL".to_ascii_buffer()
	for index: int in mechanism.size():
		bytes[12 + index] = mechanism[index]
	return bytes


## The command that ends the handshake of the NULL mechanism.
static func ready_command() -> PackedByteArray:
	var value := "DEALER".to_ascii_buffer()
	var body := command_body("READY")
	body.append_array(_short_text("Socket-Type"))
	body.append_array(PackedByteArray([0, 0, 0, value.size()]))
	body.append_array(value)
	return frame(body, COMMAND)


## The answer to a PING, which repeats the context that the PING carried.
static func pong_command(context: PackedByteArray) -> PackedByteArray:
	var body := command_body("PONG")
	body.append_array(context)
	return frame(body, COMMAND)


## One frame: flags, size, and [param body].
static func frame(body: PackedByteArray, flags: int = 0) -> PackedByteArray:
	var bytes := PackedByteArray()
	if body.size() < 256:
		bytes.append(flags)
		bytes.append(body.size())
	else:
		bytes.append(flags | LONG)
		for shift: int in [56, 48, 40, 32, 24, 16, 8, 0]:
			bytes.append(body.size() >> shift & 0xFF)
	bytes.append_array(body)
	return bytes


## How a command starts: with its name.
static func command_body(name: String) -> PackedByteArray:
	return _short_text(name)


static func _short_text(text: String) -> PackedByteArray:
	var bytes := PackedByteArray([text.length()])
	bytes.append_array(text.to_ascii_buffer())
	return bytes
