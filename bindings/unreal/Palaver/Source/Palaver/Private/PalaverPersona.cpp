#include "PalaverPersona.h"

FString UPalaverPersona::GetNpcId() const
{
	return Id.IsEmpty() ? GetName() : Id;
}
