package io.mongolock.sample.orders;

/**
 * The lock on an order was lost before the payment was written: nothing was paid.
 */
class NotPaidException extends RuntimeException {

	NotPaidException(String id) {
		super("The lock on order '" + id + "' was lost before the payment was written: nothing was paid");
	}

}
