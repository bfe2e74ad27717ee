extends RefCounted
## A connection to a sidecar that comes back by itself: TCP, ZMTP handshake, hello and welcome, heartbeat, back-off.
##
## Nothing here waits. [method poll] moves it on; call it once a frame, then [method receive] until it is empty.

const Fields := preload("fields.gd")
const Incoming := preload("incoming.gd")
const Parser := preload("zmtp_parser.gd")
const Reader := preload("msgpack_reader.gd")
const Writer := preload("msgpack_writer.gd")
const Zmtp := preload("zmtp.gd")

enum State { DISCONNECTED, CONNECTING, HANDSHAKE, GREETING, READY }

const HOST := "127.0.0.1"
const PROTOCOL := 1
const FIRST_RETRY_MS := 250
const LAST_RETRY_MS := 4000
const PING_AFTER_MS := 2000
const LOST_AFTER_MS := 6000
## More messages stay for the next [method poll], so that no frame pays for a flood.
const MAX_MESSAGES_A_POLL := 64
## Bytes that were taken in and wait for their frame; beyond that, the rest stays with the sidecar.
const MAX_UNREAD_BYTES := 2 << 20
## Bytes that wait to be sent; a sidecar that leaves so many unread does not work any more.
const MAX_WAITING_BYTES := 4 << 20
## A gap between two polls that is longer was the game's own, and says nothing about the sidecar.
const _LONG_FRAME_MS := 500
const _NOTHING := {}

## Where the connection stands.
var state := State.DISCONNECTED
## Why it was lost last, or could not be made.
var problem := ""
## The code of the error with which the sidecar answered hello, such as "wrong-secret"; empty if it did not. There is no
## second try then.
var refused := ""
## What the sidecar last said of itself: the fields of its welcome.
var welcome := {}
## Messages that were no valid ones, and were dropped.
var dropped := 0
## Messages that [method receive] has looked at since the last [method poll].
var messages_this_poll := 0

var _port := 0
var _secret := ""
var _client_name := ""
var _tcp := StreamPeerTCP.new()
var _parser := Parser.new()
var _reader := Reader.new()
var _writer := Writer.new()
var _outgoing := PackedByteArray()
var _last_request := 0
var _hello_request := 0
var _ping_request := 0
var _retry_at_ms := 0
var _retry_ms := FIRST_RETRY_MS
var _polled_ms := 0
var _heard_ms := 0
var _pinged_ms := 0


## Connect, and connect again whenever the connection is lost, until [method close].
func open(port: int, secret: String, client_name: String) -> void:
	close()
	refused = ""
	_port = port
	_secret = secret
	_client_name = client_name
	_retry_ms = FIRST_RETRY_MS
	_retry_at_ms = 0


## Drop the connection and stay away.
func close() -> void:
	_port = 0
	_tcp.disconnect_from_host()
	state = State.DISCONNECTED


## Move on: connect, send what waits, read what came, look whether the sidecar is still there.
func poll(now_ms: int) -> void:
	if _port == 0:
		return
	if now_ms - _polled_ms > _LONG_FRAME_MS:
		_heard_ms += now_ms - _polled_ms
		_pinged_ms += now_ms - _polled_ms
	_polled_ms = now_ms
	messages_this_poll = 0
	if state == State.DISCONNECTED:
		if now_ms >= _retry_at_ms:
			_connect(now_ms)
		return
	_tcp.poll()
	var status := _tcp.get_status()
	if status == StreamPeerTCP.STATUS_CONNECTED:
		if state == State.CONNECTING:
			_tcp.set_no_delay(true)
			state = State.HANDSHAKE
			_queue(Zmtp.greeting())
		_read(now_ms)
		_flush()
		_keep_alive(now_ms)
	elif status != StreamPeerTCP.STATUS_CONNECTING:
		_lose("the sidecar closed the connection" if state > State.CONNECTING else "nobody listens on the port")
	if state != State.DISCONNECTED and now_ms - _heard_ms >= LOST_AFTER_MS:
		_lose("nothing was heard from the sidecar for %d ms" % LOST_AFTER_MS)


## Connect anew, for the sidecar has forgotten this client.
func start_over() -> void:
	_lose("the sidecar has forgotten the game")


## The next message that came, without hello's and ping's answers; an empty one when there is none, or when this frame
## has had enough.
func receive() -> Dictionary:
	while messages_this_poll < MAX_MESSAGES_A_POLL and _parser.advance():
		messages_this_poll += 1
		var value: Variant = _reader.read(_parser.message)
		if not value is Dictionary:
			dropped += 1
			continue
		var fields: Dictionary = value
		if not Incoming.problem(fields).is_empty():
			dropped += 1
			continue
		if state == State.GREETING:
			_take_greeting(fields)
		elif Fields.whole(fields, "request", -1) == _ping_request and Fields.text(fields, "type") == "pong":
			_ping_request = 0
		elif state == State.READY:
			return fields
	if not _parser.outgoing.is_empty():
		_queue(_parser.outgoing)
		_parser.outgoing = PackedByteArray()
	if _parser.stage == Parser.Stage.FAILED and state > State.CONNECTING:
		_lose(_parser.problem)
	elif _parser.stage == Parser.Stage.TRAFFIC and state == State.HANDSHAKE:
		_greet()
	return _NOTHING


## Send a message; false when it cannot be sent, and [member problem] then says why.
func send(message: Dictionary) -> bool:
	if state < State.GREETING:
		problem = "there is no connection to the sidecar"
		return false
	var body := _writer.write(message)
	if body.is_empty():
		problem = _writer.problem
		return false
	_queue(Zmtp.frame(body))
	return true


## True while the sidecar has not taken everything that was sent.
func is_congested() -> bool:
	return not _outgoing.is_empty()


## Send a message of [param type] with a new request number, which is returned. Nothing is sent without a connection.
func request(type: String, fields: Dictionary) -> int:
	_last_request += 1
	var message := {"type": type, "request": _last_request}
	message.merge(fields)
	send(message)
	return _last_request


func _connect(now_ms: int) -> void:
	_tcp = StreamPeerTCP.new()
	_parser = Parser.new()
	_outgoing = PackedByteArray()
	_heard_ms = now_ms
	_pinged_ms = now_ms
	state = State.CONNECTING
	if _tcp.connect_to_host(HOST, _port) != OK:
		_lose("a connection could not be begun")


func _greet() -> void:
	state = State.GREETING
	var hello := {"protocol": PROTOCOL}
	if not _secret.is_empty():
		hello["secret"] = _secret
	if not _client_name.is_empty():
		hello["client"] = _client_name
	_hello_request = request("hello", hello)


func _take_greeting(fields: Dictionary) -> void:
	if Fields.whole(fields, "request", -1) != _hello_request:
		return
	if Fields.text(fields, "type") == "welcome" and Fields.whole(fields, "protocol") == PROTOCOL:
		welcome = fields
		problem = ""
		_retry_ms = FIRST_RETRY_MS
		state = State.READY
	else:
		refused = Fields.text(fields, "code", "protocol-version")
		problem = "the sidecar refused the game: %s" % Fields.text(fields, "message", refused)
		close()


func _read(now_ms: int) -> void:
	if _parser.waiting_bytes() > MAX_UNREAD_BYTES:
		_heard_ms = now_ms
		return
	var available := _tcp.get_available_bytes()
	if available <= 0:
		return
	var result := _tcp.get_partial_data(available)
	var error: int = result[0]
	var bytes: PackedByteArray = result[1]
	if error == OK and not bytes.is_empty():
		_heard_ms = now_ms
		_pinged_ms = now_ms
		_parser.feed(bytes)


func _keep_alive(now_ms: int) -> void:
	if state == State.READY and now_ms - _pinged_ms >= PING_AFTER_MS:
		_pinged_ms = now_ms
		_ping_request = request("ping", {})


func _queue(bytes: PackedByteArray) -> void:
	_outgoing.append_array(bytes)
	_flush()


func _flush() -> void:
	if _outgoing.is_empty() or state < State.HANDSHAKE:
		return
	var result := _tcp.put_partial_data(_outgoing)
	var error: int = result[0]
	var sent: int = result[1]
	_outgoing = _outgoing.slice(sent) if sent < _outgoing.size() else PackedByteArray()
	if error != OK or _outgoing.size() > MAX_WAITING_BYTES:
		_lose("the sidecar takes no more messages")


func _lose(why: String) -> void:
	problem = why
	_tcp.disconnect_from_host()
	state = State.DISCONNECTED
	_retry_at_ms = _polled_ms + _retry_ms
	_retry_ms = mini(_retry_ms * 2, LAST_RETRY_MS)
