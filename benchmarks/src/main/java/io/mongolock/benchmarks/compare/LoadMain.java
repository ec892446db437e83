package io.mongolock.benchmarks.compare;

import java.io.IOException;

/**
 * A load in a JVM of its own. Says when it is connected, begins on demand, and says what
 * came of it. Arguments: kind, server, threads, keys, microseconds of work, milliseconds.
 */
public final class LoadMain {

	static final String READY = "READY";

	static final String RESULT = "RESULT ";

	private LoadMain() {
	}

	public static void main(String[] args) throws IOException {
		Load load = new Load(Integer.parseInt(args[2]), Integer.parseInt(args[3]), Integer.parseInt(args[4]),
				Long.parseLong(args[5]));
		try (Competitor competitor = Kind.valueOf(args[0]).connect(args[1])) {
			Load.warmUp(competitor);
			System.out.println(READY);
			System.in.read();
			System.out.println(RESULT + load.run(competitor).toLine());
		}
	}

}
