#include "PalaverSettings.h"

FName UPalaverSettings::GetCategoryName() const
{
	return FName(TEXT("Plugins"));
}
