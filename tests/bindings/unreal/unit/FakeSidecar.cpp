#include "FakeSidecar.h"

#include "PalaverCore/Zmtp.h"

#include <algorithm>

using namespace PalaverCore;

namespace
{
	Document Decoded(const std::string& Bytes)
	{
		Document Read;
		ReadMsgPack(Bytes, Read);
		return Read;
	}

	void WriteTimings(MapWriter& Map)
	{
		MapWriter Timings(Map.Key("timings"));
		for (const char* Part : {"queue_ms", "encode_ms", "denoise_ms", "compute_ms", "total_ms"})
		{
			Timings.Key(Part).Float(1.5);
		}
		Timings.End();
	}

	MapWriter Begin(MsgPackWriter& Out, const char* Type, RequestId Request)
	{
		MapWriter Map(Out);
		Map.Key("type").Text(Type);
		Map.Key("request").Int(Request);
		return Map;
	}
}

std::int64_t Got::Int(const char* Field) const
{
	return Decoded(Bytes).Root().Find(Field).ToInt(-1);
}

std::string Got::Text(const char* Field) const
{
	return std::string(Decoded(Bytes).Root().Find(Field).ToText());
}

bool Got::Has(const char* Field) const
{
	return Decoded(Bytes).Root().Find(Field).IsValid();
}

void FakeSidecar::Drop()
{
	bOpen = false;
	ToClient.clear();
	FromClient.clear();
}

void FakeSidecar::Send(const std::string& Message)
{
	Zmtp::AppendMessage(ToClient, Message);
}

void FakeSidecar::SendOk(RequestId Request)
{
	MsgPackWriter Out;
	Begin(Out, "ok", Request).End();
	Send(Out.Bytes());
}

void FakeSidecar::SendLine(RequestId Request, const char* Text, const char* Source)
{
	MsgPackWriter Out;
	MapWriter Map = Begin(Out, "line", Request);
	Map.Key("text").Text(Text);
	Map.Key("source").Text(Source);
	Map.Key("finish_reason").Text("stop");
	Map.Key("seed").Int(7);
	for (const char* Count : {"steps_planned", "steps_done", "canvases", "tokens", "rerolls"})
	{
		Map.Key(Count).Int(3);
	}
	Map.Key("confidence").Float(0.5);
	Map.Key("deterministic").Bool(true);
	WriteTimings(Map);
	Map.End();
	Send(Out.Bytes());
}

void FakeSidecar::SendChoice(RequestId Request, int Index, int Count)
{
	MsgPackWriter Out;
	MapWriter Map = Begin(Out, "choice", Request);
	Map.Key("index").Int(Index);
	Map.Key("probabilities").List(static_cast<std::uint32_t>(Count));
	for (int At = 0; At < Count; ++At)
	{
		Out.Float(At == Index ? 1.0 : 0.0);
	}
	Map.Key("source").Text("model");
	Map.Key("finish_reason").Text("stop");
	WriteTimings(Map);
	Map.End();
	Send(Out.Bytes());
}

void FakeSidecar::SendReport(RequestId Request, double LoadProgress)
{
	MsgPackWriter Out;
	MapWriter Map = Begin(Out, "report", Request);
	Map.Key("state").Text(LoadProgress < 1.0 ? "loading" : "ready");
	Map.Key("load_progress").Float(LoadProgress);
	Map.Key("uptime_s").Float(1.0);
	for (const char* Count : {"open_asks", "clients", "npcs", "lines_model", "lines_draft", "lines_fallback", "errors"})
	{
		Map.Key(Count).Int(2);
	}
	Map.Key("memory_mb").Float(100.0);
	Map.Key("step_ms").Float(0.0);
	Map.End();
	Send(Out.Bytes());
}

void FakeSidecar::SendDraft(RequestId Request, const char* Text)
{
	MsgPackWriter Out;
	MapWriter Map = Begin(Out, "draft", Request);
	Map.Key("text").Text(Text);
	Map.Key("stable_chars").Int(1);
	Map.Key("steps_done").Int(2);
	Map.Key("steps_planned").Int(8);
	Map.End();
	Send(Out.Bytes());
}

void FakeSidecar::SendError(RequestId Request, const char* Code)
{
	MsgPackWriter Out;
	MapWriter Map(Out);
	Map.Key("type").Text("error");
	if (Request >= 0)
	{
		Map.Key("request").Int(Request);
	}
	Map.Key("code").Text(Code);
	Map.Key("message").Text("as the test wants it");
	Map.Key("hint").Text("none");
	Map.End();
	Send(Out.Bytes());
}

Got FakeSidecar::Last(MessageType Type) const
{
	const auto Found = std::find_if(
		Messages.rbegin(), Messages.rend(), [Type](const Got& Each) { return Each.Type == Type; });
	return Found == Messages.rend() ? Got{MessageType::Unknown, -1, {}} : *Found;
}

int FakeSidecar::CountOf(MessageType Type) const
{
	return static_cast<int>(std::count_if(
		Messages.begin(), Messages.end(), [Type](const Got& Each) { return Each.Type == Type; }));
}

void FakeSidecar::Open(std::uint16_t)
{
	Drop();
	++Attempts;
	bOpen = bListening;
	bGreeted = false;
	bReady = false;
}

void FakeSidecar::Close()
{
	Drop();
}

TransportState FakeSidecar::State()
{
	return bOpen ? TransportState::Open : TransportState::Closed;
}

std::size_t FakeSidecar::Read(char* Into, std::size_t Size)
{
	const std::size_t Count = std::min(Size, ToClient.size());
	ToClient.copy(Into, Count);
	ToClient.erase(0, Count);
	return Count;
}

std::size_t FakeSidecar::Write(std::string_view Bytes)
{
	if (!bReading)
	{
		return 0;
	}
	FromClient.append(Bytes);
	TakeIn();
	return Bytes.size();
}

void FakeSidecar::TakeIn()
{
	if (!bGreeted && FromClient.size() >= 64)
	{
		bGreeted = true;
		ToClient += FromClient.substr(0, 64);
		FromClient.erase(0, 64);
	}
	while (bGreeted && FromClient.size() >= 2)
	{
		const auto Flags = static_cast<unsigned char>(FromClient[0]);
		const std::size_t SizeBytes = (Flags & 2) != 0 ? 8 : 1;
		std::size_t Size = 0;
		for (std::size_t Index = 0; Index < SizeBytes; ++Index)
		{
			Size = Size << 8 | static_cast<unsigned char>(FromClient[1 + Index]);
		}
		const std::string Body = FromClient.substr(1 + SizeBytes, Size);
		FromClient.erase(0, 1 + SizeBytes + Size);
		if ((Flags & 4) == 0)
		{
			OnMessage(Body);
		}
		else if (!bReady)
		{
			bReady = true;
			ToClient += std::string("\x04\x1C\x05READY\x0BSocket-Type\0\0\0\x06ROUTER", 30);
		}
	}
}

void FakeSidecar::OnMessage(const std::string& Bytes)
{
	const Document Read = Decoded(Bytes);
	const MessageCheck Checked = CheckMessage(Read);
	if (Checked.Type == MessageType::Hello)
	{
		++Hellos;
		HelloSecret = Read.Root().Find("secret").ToText();
		if (bWelcoming)
		{
			MsgPackWriter Out;
			MapWriter Map = Begin(Out, "welcome", Checked.Request);
			Map.Key("protocol").Int(1);
			Map.Key("version").Text("0.1.0");
			Map.Key("state").Text(bLoading ? "loading" : "ready");
			MapWriter Model(Map.Key("model"));
			Model.Key("name").Text("pocket");
			Model.Key("canvas_length").Int(32);
			Model.Key("licence").Text("Apache-2.0");
			Model.End();
			Map.End();
			Send(Out.Bytes());
		}
	}
	else if (Checked.Type == MessageType::Ping)
	{
		++Pings;
		MsgPackWriter Out;
		Begin(Out, "pong", Checked.Request).End();
		Send(Out.Bytes());
	}
	else
	{
		Messages.push_back({Checked.Code == nullptr ? Checked.Type : MessageType::Unknown, Checked.Request, Bytes});
	}
}
