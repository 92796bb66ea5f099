// <spawn.h> declares it only with _GNU_SOURCE, which Swift does not set. The type of the actions is that of the C library
// in Swift's own module.
extern int posix_spawn_file_actions_addclosefrom_np(void *actions, int from);
