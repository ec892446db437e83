#!/usr/bin/env bash
# Runs the classes as published, which have been compiled for the Spring Boot of the pom, with the libraries of another:
# config/boot.sh VERSION, then what goes to Maven. Left out is what needs neither Spring nor the driver, or looks at sources, and the
# samples. The artifacts come from Maven Central.
set -euo pipefail
cd "$(dirname "$0")/.."
version="$1"
shift

left_out='!io.mongolock.test.embedded.*Tests,!io.mongolock.test.proxy.*Tests,!ModelAgreementTests'
# all of the core, whose packages have tests in other modules, too
left_out+=$(cd mongo-lock-core/src/test/java && find io -name '*Tests.java' | sed 's#/#.#g; s#^#,!#; s#\.java$##' | sort | tr -d '\n')
left_out+=',!ArchitectureTests,!DocumentsArchitectureTests,!DocumentationTests,!EmbeddedUpsertErrorLockStoreTests,!InMemoryLockStoreTests'
# a program, and nested classes, which run with the one around them
left_out+=',!Recorder,!*$*'
exec ./mvnw test -Dspring-boot.version="$version" -Dmaven.main.skip -am \
	-pl docs,mongo-lock-leader,mongo-lock-jobs,mongo-lock-dashboard,mongo-lock-integration \
	-Dsurefire.failIfNoSpecifiedTests=false "-Dtest=$left_out" "$@"
