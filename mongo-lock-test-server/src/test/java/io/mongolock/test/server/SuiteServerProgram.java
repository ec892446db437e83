package io.mongolock.test.server;

/**
 * Says which server the suites of its JVM have.
 */
public final class SuiteServerProgram {

	private SuiteServerProgram() {
	}

	public static void main(String[] arguments) {
		System.out.println("shared: " + SuiteServer.isShared());
		System.out.println("uri: " + SuiteServer.get().uri().orElse("none"));
		System.exit(0);
	}

}
