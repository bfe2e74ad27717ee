#include "PalaverTextLibrary.h"

#include "PalaverConversions.h"
#include "PalaverCore/RichText.h"

FString UPalaverTextLibrary::EscapeRichText(const FString& Text)
{
	using namespace PalaverConversions;
	return FromUtf8(PalaverCore::EscapeRichText(ToUtf8(Text)));
}
