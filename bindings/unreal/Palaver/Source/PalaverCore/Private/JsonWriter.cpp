#include "PalaverCore/Json.h"

namespace PalaverCore
{
	void AppendJsonText(std::string& Json, std::string_view Text)
	{
		constexpr std::string_view Escaped = "\"\\\b\f\n\r\t";
		constexpr std::string_view Letters = "\"\\bfnrt";
		constexpr char Hex[] = "0123456789abcdef";
		Json += '"';
		for (const char Letter : Text)
		{
			const std::size_t Which = Escaped.find(Letter);
			if (Which != std::string_view::npos)
			{
				Json += {'\\', Letters[Which]};
			}
			else if (static_cast<unsigned char>(Letter) < 0x20)
			{
				Json += {'\\', 'u', '0', '0', Hex[Letter >> 4], Hex[Letter & 15]};
			}
			else
			{
				Json += Letter;
			}
		}
		Json += '"';
	}
}
