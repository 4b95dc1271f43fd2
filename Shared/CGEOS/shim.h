#pragma once
#include <geos_c.h>
