// The file systems a bare root disk lacks.
#ifndef SHAKEDOWN_AGENT_RUNNER_SETUP_MOUNTS_H_
#define SHAKEDOWN_AGENT_RUNNER_SETUP_MOUNTS_H_

namespace shakedown::runner {

// proc, sysfs, devtmpfs; standard input, output and error become the console when they are not
// open. What fails is said on the console. Mounted already is fine.
void MountKernelFilesystems();

// The rest of a running system: /run, /tmp, /dev/pts, /dev/shm, debugfs, cgroup2, the root
// writable.
void MountSystem();

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_SETUP_MOUNTS_H_
