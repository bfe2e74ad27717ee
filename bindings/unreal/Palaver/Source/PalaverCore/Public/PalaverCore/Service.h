#pragma once

#include "PalaverCore/Client.h"
#include "PalaverCore/Sidecar.h"

namespace PalaverCore
{
	/** A sidecar and the client that talks to it: what an engine's plugin has to own. */
	class PALAVERCORE_API Service
	{
	public:
		/** A sidecar that runs and cannot be talked to for so long is started anew. */
		static constexpr std::int64_t SilentMs = 15'000;

		/** @param Seed of the choice between fallback lines. */
		explicit Service(std::uint64_t Seed) : Talk(Link, Seed) {}

		/** Start a sidecar and keep it running. */
		void Start(const SidecarOptions& Options, std::int64_t NowMs);
		/** Talk to a sidecar that somebody else has started. */
		void Connect(std::uint16_t Port, std::string_view Secret);
		/** Once a frame, before the client's events are taken; never waits. */
		void Poll(std::int64_t NowMs);
		/** End the sidecar and the connection; waits for so long at most. */
		void Stop(std::int64_t GraceMs);

		Client& GetClient() { return Talk; }
		const Sidecar& GetSidecar() const { return Process; }

	private:
		TcpTransport Link;
		Client Talk;
		Sidecar Process;
		std::uint32_t KnownLaunch = 0;
		std::int64_t ReadyAtMs = 0;
	};
}
