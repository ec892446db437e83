#!/usr/bin/env bash
# Does what pages say step by step, in a folder of its own and with a local repository of its own: builds and starts the application
# of getting-started.md, twice, and turns a job of ShedLock by the recipe of coming-from.md.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
# Outside of this repository, whose ignored files a recipe leaves alone
dir=$(mktemp -d)
shop=$dir/shop
mkdir -p "$shop"
# What was loaded before is not loaded again, and nothing is installed where other builds find it
repository="-Dmaven.repo.local=$dir/repository -Dmaven.repo.local.tail=${HOME}/.m2/repository \
-Dmaven.repo.local.tail.ignoreAvailability=true"
groups=()

stop() {
	for group in "${groups[@]:-}"; do
		[ -z "$group" ] || kill -- "-$group" 2>/dev/null || true
	done
}
trap 'stop; rm -rf "$dir"' EXIT

files() {
	awk -v to="$shop/" '
		/^`[A-Za-z0-9_.\/-]+`:$/ { path = $0; gsub(/[`:]/, "", path); next }
		/^```/ && path != "" && !inside { file = to path; dir = file; sub(/[^\/]*$/, "", dir); system("mkdir -p " dir); printf "" > file
			inside = 1; next }
		/^```/ && inside { inside = 0; path = ""; close(file); next }
		inside { print >> file; next }
		NF { path = "" }
	' "$1"
}

# Each line of the blocks of commands, with the wrapper in place of an installed Maven
command() {
	sed -e ':a' -e '/\\$/{N;s/\\\n[[:space:]]*//;ba' -e '}' "$1" | sed -nE "/^\`\`\`sh/,/^\`\`\`/s#^(mvn|\./mvnw) (.*$2.*)#$root/mvnw --batch-mode $repository \2#p"
}

begin() {
	local log=$dir/$2.log command
	command=$(command docs/getting-started.md "$2\$")
	[ -n "$command" ] || { echo "getting-started.md has no command $2" >&2; exit 1; }
	(cd "$shop" && exec setsid bash -c "$command $3") >"$log" 2>&1 </dev/null &
	groups+=($!)
	for ((second = 0; second < 240; second++)); do
		grep -q 'Started ShopApplication in\|Started LocalShop in' "$log" && { echo "It starts: $1"; return; }
		kill -0 $! 2>/dev/null || break
		sleep 1
	done
	cat "$log"
	echo "It did not start: $1" >&2
	exit 1
}

./mvnw -q --batch-mode install -Djars $repository
files docs/getting-started.md
echo "The application of getting-started.md: $(cd "$shop" && find . -type f | sort | tr '\n' ' ')"
(cd "$shop" && "$root/mvnw" --batch-mode $repository verify) >"$dir/verify.log" 2>&1 || { cat "$dir/verify.log"; exit 1; }
echo "It passes its test: mvn verify"
begin "mvn spring-boot:test-run" spring-boot:test-run ""
begin "mvn spring-boot:run" spring-boot:run ""
stop
groups=()

# The way over from ShedLock
version() {
	sed -n "s:.*<$1>\(.*\)</$1>.*:\1:p" pom.xml | head -1
}
mkdir -p "$dir/shed/src/main/java/com/example/shed"
cat >"$dir/shed/pom.xml" <<EOF
<project xmlns="http://maven.apache.org/POM/4.0.0">
	<modelVersion>4.0.0</modelVersion>
	<groupId>com.example</groupId>
	<artifactId>shed</artifactId>
	<version>1</version>

	<properties>
		<maven.compiler.release>17</maven.compiler.release>
	</properties>

	<dependencies>
		<dependency>
			<groupId>net.javacrumbs.shedlock</groupId>
			<artifactId>shedlock-spring</artifactId>
			<version>$(version shedlock.version)</version>
		</dependency>
	</dependencies>
</project>
EOF
cat >"$dir/shed/src/main/java/com/example/shed/Reports.java" <<'EOF'
package com.example.shed;

import net.javacrumbs.shedlock.core.LockAssert;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;

class Reports {

	@SchedulerLock(name = "nightly-report", lockAtMostFor = "10m")
	void report() {
		LockAssert.assertLocked();
	}

}
EOF
recipe=$(command docs/coming-from.md rewrite-maven-plugin)
[ -n "$recipe" ] || { echo "coming-from.md has no command of the recipe" >&2; exit 1; }
(cd "$dir/shed" && bash -c "$recipe") >"$dir/recipe.log" 2>&1 || { cat "$dir/recipe.log"; exit 1; }
turned=$dir/shed/src/main/java/com/example/shed/Reports.java
grep -q '@DistributedLock(name = "nightly-report"' "$turned" && grep -q 'LockContext.current().assertHeld()' "$turned" \
	&& (cd "$dir/shed" && "$root/mvnw" -q --batch-mode $repository compile) \
	|| { cat "$dir/recipe.log" "$dir/shed/pom.xml" "$turned"; echo "The recipe did not turn the job" >&2; exit 1; }
echo "It turns a job, which compiles: the recipe of coming-from.md"
