package io.mongolock.benchmarks.compare;

import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;

/**
 * What came of a load. Times are in milliseconds.
 *
 * @param grants how many locks were granted
 * @param perSecond how many a second
 * @param p50 the middle wait
 * @param p99 the wait that one of a hundred exceeds
 * @param max the longest wait
 * @param requests requests to the store, negative if unknown
 * @param jain Jain's index of fairness across JVMs, 1 for one JVM
 */
record Outcome(long grants, double perSecond, double p50, double p99, double max, long requests, double jain) {

	static Outcome of(List<Samples> samples, long millis, long requests) {
		long[] waits = samples.stream().map(Samples::toArray).flatMapToLong(LongStream::of).sorted().toArray();
		return new Outcome(waits.length, waits.length * 1000.0 / millis, at(waits, 0.5), at(waits, 0.99), at(waits, 1),
				requests, 1);
	}

	/**
	 * The outcome of several JVMs: of the percentiles the worst, because each JVM tells
	 * only its own.
	 */
	static Outcome ofAll(List<Outcome> each) {
		double sum = each.stream().mapToDouble(Outcome::grants).sum();
		double squares = each.stream().mapToDouble((one) -> (double) one.grants * one.grants).sum();
		boolean counted = each.stream().allMatch((one) -> one.requests >= 0);
		return new Outcome((long) sum, each.stream().mapToDouble(Outcome::perSecond).sum(),
				each.stream().mapToDouble(Outcome::p50).max().orElse(0),
				each.stream().mapToDouble(Outcome::p99).max().orElse(0),
				each.stream().mapToDouble(Outcome::max).max().orElse(0),
				(counted) ? each.stream().mapToLong(Outcome::requests).sum() : -1,
				(squares > 0) ? sum * sum / (each.size() * squares) : 0);
	}

	double requestsPerGrant() {
		return (this.requests < 0 || this.grants == 0) ? Double.NaN : this.requests / (double) this.grants;
	}

	/**
	 * As one line, for another JVM.
	 */
	String toLine() {
		return this.grants + " " + this.perSecond + " " + this.p50 + " " + this.p99 + " " + this.max + " "
				+ this.requests;
	}

	static Outcome parse(String line) {
		String[] part = line.split(" ");
		double[] number = Arrays.stream(part).mapToDouble(Double::parseDouble).toArray();
		return new Outcome((long) number[0], number[1], number[2], number[3], number[4], (long) number[5], 1);
	}

	private static double at(long[] sorted, double share) {
		return (sorted.length == 0) ? Double.NaN
				: sorted[(int) Math.min(sorted.length - 1, sorted.length * share)] / 1e6;
	}

}
