package io.mongolock.sample.orders;

/**
 * There is no order with that number.
 */
public class NoSuchOrderException extends RuntimeException {

	NoSuchOrderException(String id) {
		super("There is no order '" + id + "'");
	}

}
