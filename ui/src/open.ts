// The window's own script. main.ts imports it once there is something to see.

import './styles/base.css';
import { mount } from 'svelte';
import { openBackend } from '#backend';
import { painted } from '$lib/app/painted';
import { warm } from '$lib/ui/chat/warm';
import App from './App.svelte';

const target = document.getElementById('app');
if (target) {
  mount(App, { target, props: { backend: await openBackend() } });
  await painted();
  warm();
}
