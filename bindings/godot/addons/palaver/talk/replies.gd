extends RefCounted
## Requests other than asks whose answers somebody waits for.


class Reply:
	extends RefCounted
	## An answer that is awaited.

	signal done

	## The answer's fields; empty when there was none.
	var fields := {}
	## Why there was none: the code of the sidecar's error, "timeout", or "unreachable".
	var code := ""
	## The same in words.
	var message := ""
	## When nobody waits any longer, in milliseconds of the client's clock.
	var until_ms := 0


const TIMEOUT_MS := 5000

var _waiting: Dictionary[int, Reply] = {}


## The reply that will come to [param request]. Its [code]done[/code] always comes.
func expect(request: int, now_ms: int) -> Reply:
	var reply := Reply.new()
	reply.until_ms = now_ms + TIMEOUT_MS
	_waiting[request] = reply
	return reply


## An answer has come; to a request that nobody waits for, it is dropped.
func take(request: int, fields: Dictionary) -> void:
	if _waiting.has(request):
		var reply := _waiting[request]
		_waiting.erase(request)
		reply.fields = fields
		reply.done.emit()


## There will be no answer, because of [param code]. False if nobody waits for one.
func refuse(request: int, code: String, message: String) -> bool:
	if not _waiting.has(request):
		return false
	_waiting[request].code = code
	_waiting[request].message = message
	take(request, {})
	return true


## Give up what has waited too long.
func end_overdue(now_ms: int) -> void:
	if _waiting.is_empty():
		return
	for request: int in _waiting.keys():
		if now_ms >= _waiting[request].until_ms:
			refuse(request, "timeout", "There was no answer within %d ms." % TIMEOUT_MS)


## Give up everything: the connection is lost.
func end_all() -> void:
	for request: int in _waiting.keys():
		refuse(request, "unreachable", "The connection is lost.")
