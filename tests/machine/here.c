#include "machine/machine.h"

enum heddle_status machine_configure(const struct heddle_config *config)
{
    return heddle_configure(config);
}
