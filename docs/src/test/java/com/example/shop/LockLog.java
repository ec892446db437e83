package com.example.shop;

import org.springframework.stereotype.Component;

import io.mongolock.LockHandle;
import io.mongolock.LockListener;
import io.mongolock.LossReason;

@Component
public class LockLog implements LockListener {

	@Override
	public void onLost(LockHandle lock, LossReason reason) {
		System.err.println(lock + " was lost: " + reason);
	}

}
