#include "PalaverCore/RichText.h"

namespace PalaverCore
{
	std::string EscapeRichText(std::string_view Text)
	{
		std::string Escaped;
		for (const char Letter : Text)
		{
			switch (Letter)
			{
			case '<': Escaped += "&lt;"; break;
			case '>': Escaped += "&gt;"; break;
			case '&': Escaped += "&amp;"; break;
			case '"': Escaped += "&quot;"; break;
			default: Escaped += Letter;
			}
		}
		return Escaped;
	}
}
