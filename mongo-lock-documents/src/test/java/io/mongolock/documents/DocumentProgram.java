package io.mongolock.documents;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * A random program of several threads of two instances that work on the same documents.
 *
 * @param steps what is done, one after the other
 */
record DocumentProgram(List<Step> steps) {

	private static final int ACTORS = 4;

	static final int DOCUMENTS = 3;

	/**
	 * A program of one document.
	 * @param steps the number of a thread and what it does, for each
	 * @param document the number of the document
	 * @return the program
	 */
	static DocumentProgram of(String steps, int document) {
		return new DocumentProgram(Stream.of(steps.split(", "))
			.map((step) -> step.split(" "))
			.map((step) -> new Step(Kind.valueOf(step[1]), Integer.parseInt(step[0]), document,
					(step.length > 2) ? Integer.parseInt(step[2]) : 1))
			.toList());
	}

	static DocumentProgram random(long seed, boolean transactions) {
		Random random = new Random(seed);
		List<Kind> kinds = new ArrayList<>();
		for (Kind kind : Kind.values()) {
			for (int i = 0; i < kind.weight; i++) {
				if (transactions || !kind.transactional) {
					kinds.add(kind);
				}
			}
		}
		List<Step> steps = new ArrayList<>();
		int actor = 0;
		int document = random.nextInt(DOCUMENTS);
		for (int i = 8 + random.nextInt(25); i > 0; i--) {
			// What meets is what goes wrong
			actor = (random.nextInt(3) == 0) ? random.nextInt(ACTORS) : actor;
			int other = (random.nextInt(4) == 0) ? random.nextInt(DOCUMENTS) : document;
			steps.add(new Step(kinds.get(random.nextInt(kinds.size())), actor, other, random.nextInt(64)));
		}
		return new DocumentProgram(steps);
	}

	/**
	 * Leave out what is not needed for a failure.
	 * @param fails whether a program fails
	 * @param time how long to try
	 * @return a program that fails
	 */
	DocumentProgram shrunk(Predicate<DocumentProgram> fails, Duration time) {
		List<Step> steps = new ArrayList<>(this.steps);
		long began = System.nanoTime();
		for (int size = Math.max(1, steps.size() / 2); size > 0; size /= 2) {
			for (int from = steps.size() - size; from >= 0; from = Math.min(from, steps.size()) - size) {
				List<Step> fewer = new ArrayList<>(steps);
				fewer.subList(from, from + size).clear();
				if (System.nanoTime() - began < time.toNanos() && fails.test(new DocumentProgram(fewer))) {
					steps = fewer;
				}
			}
		}
		return new DocumentProgram(steps);
	}

	/**
	 * A step; one that cannot be made is left out.
	 *
	 * @param kind what is done
	 * @param actor the number of the thread
	 * @param document the number of the document
	 * @param choice which of several, for example of tickets
	 */
	record Step(Kind kind, int actor, int document, int choice) {

	}

	enum Kind {

		LOCK(8), TRY_LOCK(4), EXECUTE(5), LEAVE(4), SAVE(9), SAVE_AND_KEEP(7), DELETE(1), CLOSE(4), TICKET(6),
		RESUME(8), RENEW_TICKET(2), RELEASE_TICKET(2), RENEW(1), BREAK(1), TAKE_OVER(3), LOAD(5), PLAIN_SAVE(7),
		PLAIN_UPDATE(4), UNMAPPED_UPDATE(2), FENCED_UPDATE(3), OPTIMISTIC_UPDATE(4), INSERT(2), RUN_OUT(2),
		BEGIN(9, true), COMMIT(6, true), ROLL_BACK(3, true);

		private final int weight;

		private final boolean transactional;

		Kind(int weight) {
			this(weight, false);
		}

		Kind(int weight, boolean transactional) {
			this.weight = weight;
			this.transactional = transactional;
		}

	}

}
