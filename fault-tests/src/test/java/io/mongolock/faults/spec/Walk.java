package io.mongolock.faults.spec;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One random walk of the specification: after each step what was done and how the
 * document stands.
 */
record Walk(String name, List<Step> steps) {

	private static final Pattern STATE = Pattern.compile("STATE_\\d+ ==\\s+(.*?)(?=\\n\\n|\\n====)", Pattern.DOTALL);

	private static final Pattern VARIABLE = Pattern.compile("/\\\\ (\\w+) = (.*?)(?=\\n/\\\\|$)", Pattern.DOTALL);

	static Walk read(Path file) throws IOException {
		List<Step> steps = new ArrayList<>();
		Matcher states = STATE.matcher(Files.readString(file));
		while (states.find()) {
			Matcher variables = VARIABLE.matcher(states.group(1));
			Map<String, Object> did = Map.of();
			Map<String, Object> doc = Map.of();
			while (variables.find()) {
				switch (variables.group(1)) {
					case "did" -> {
						did = Printed.record(variables.group(2));
					}
					case "doc" -> {
						doc = Printed.record(variables.group(2));
					}
				}
			}
			steps.add(new Step(did, document(doc)));
		}
		return new Walk(file.getFileName().toString(), steps);
	}

	private static SpecDocument document(Map<String, Object> doc) {
		return new SpecDocument(entries(doc.get("holders")), entries(doc.get("queue")), (int) doc.get("fence"));
	}

	private static List<SpecEntry> entries(Object printed) {
		return ((List<?>) printed).stream()
			.map(Printed::asRecord)
			.map((entry) -> new SpecEntry((String) entry.get("token"), (int) entry.get("limit"),
					(int) entry.getOrDefault("fence", 0), (int) entry.get("left")))
			.toList();
	}

	/**
	 * A step: {@code did} is the statement with all that it says.
	 */
	record Step(Map<String, Object> did, SpecDocument after) {

		String op() {
			return (String) this.did.get("op");
		}

		String token() {
			return (String) this.did.get("token");
		}

		int number(String field) {
			return (int) this.did.get(field);
		}

		boolean is(String field) {
			return (boolean) this.did.get(field);
		}

	}

	record SpecDocument(List<SpecEntry> holders, List<SpecEntry> queue, int fence) {

		static final SpecDocument NOTHING = new SpecDocument(List.of(), List.of(), 0);

		boolean holds(String token) {
			return this.holders.stream().anyMatch((entry) -> entry.token().equals(token));
		}

		boolean isGrantedTo(String token) {
			return this.holders.stream().anyMatch((entry) -> entry.token().equals(token) && entry.left() > 0);
		}

		boolean queues(String token) {
			return this.queue.stream().anyMatch((entry) -> entry.token().equals(token));
		}

	}

	/**
	 * A holder or a place in the queue, which has no fence.
	 *
	 * @param left for how many ticks it lives from now on, 0 if it has run out
	 */
	record SpecEntry(String token, int limit, int fence, int left) {
	}

}
