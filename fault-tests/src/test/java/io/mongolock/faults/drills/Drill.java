package io.mongolock.faults.drills;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;

import com.mongodb.MongoSocketException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import org.bson.Document;

import io.mongolock.test.server.RealMember;
import io.mongolock.test.server.RealMongo;

/**
 * A fault of a set of three, and the alerts of {@code docs/grafana} that are to page
 * somebody.
 */
enum Drill {

	/** No fault at all. */
	QUIET(Set.of()),

	/** The primary's process dies. */
	KILL(Set.of()) {

		@Override
		void begin(RealMongo set) {
			set.primary().kill();
		}

	},

	/** The primary's process stands still, and so do its connections. */
	FREEZE(Set.of()) {

		@Override
		void begin(RealMongo set) {
			set.primary().freeze();
		}

	},

	/** The members do not reach the primary, clients do. */
	CUT_OFF(Set.of()) {

		@Override
		void begin(RealMongo set) {
			set.primary().isolate();
		}

	},

	/** The primary's machine is gone: no member or client gets an answer. */
	MACHINE_GONE(Set.of()) {

		@Override
		void begin(RealMongo set) {
			set.primary().vanish();
		}

	},

	/** A planned step-down. */
	STEP_DOWN(Set.of()) {

		@Override
		void begin(RealMongo set) {
			try (MongoClient client = MongoClients.create(set.connectionString())) {
				client.getDatabase("admin").runCommand(new Document("replSetStepDown", 60).append("force", true));
			}
			catch (MongoSocketException ex) {
				// The server may close the connection instead of an answer
			}
		}

	},

	/** A secondary dies. */
	SECONDARY_LOST(Set.of()) {

		@Override
		void begin(RealMongo set) {
			set.secondaries().get(0).kill();
		}

	},

	/** Both secondaries die, and come back later. */
	MAJORITY_LOST(Set.of(Drill.LOST, Drill.STORE_FAILS)) {

		@Override
		void begin(RealMongo set) {
			List.copyOf(set.secondaries()).forEach(RealMember::kill);
		}

	},

	/** All members end and start again. */
	SET_RESTARTED(Set.of()) {

		@Override
		void begin(RealMongo set) {
			set.members().forEach(RealMember::kill);
			set.members().forEach(RealMember::start);
		}

	},

	/** What a member flushes to its disk takes a second longer. */
	SLOW_DISK(Set.of()) {

		@Override
		void begin(SlowDisk disks) throws IOException {
			disks.delay(Duration.ofSeconds(1));
		}

	};

	/** A lock was lost. */
	static final String LOST = "MongoLockLost";

	/** Attempts have failed for minutes. */
	static final String STORE_FAILS = "MongoLockStoreFails";

	private final Set<String> pages;

	Drill(Set<String> pages) {
		this.pages = pages;
	}

	void begin(RealMongo set) {
	}

	void begin(SlowDisk disks) throws IOException {
	}

	/** The alerts that are to page. */
	Set<String> pages() {
		return this.pages;
	}

}
