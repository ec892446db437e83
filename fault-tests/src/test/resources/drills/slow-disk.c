// Preloaded into a server, delays what it flushes to its disk by the milliseconds that the file SLOW_DISK says.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void delay(void) {
	const char *name = getenv("SLOW_DISK");
	FILE *file = name ? fopen(name, "r") : NULL;
	long millis = 0;
	if (file) {
		if (fscanf(file, "%ld", &millis) != 1) {
			millis = 0;
		}
		fclose(file);
	}
	if (millis > 0) {
		struct timespec time = { millis / 1000, millis % 1000 * 1000000L };
		nanosleep(&time, NULL);
	}
}

int fsync(int fd) {
	delay();
	return ((int (*)(int)) dlsym(RTLD_NEXT, "fsync"))(fd);
}

int fdatasync(int fd) {
	delay();
	return ((int (*)(int)) dlsym(RTLD_NEXT, "fdatasync"))(fd);
}
