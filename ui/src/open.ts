// The window's own script. main.ts imports it once there is something to see.

import './styles/base.css';
import { mount } from 'svelte';
import { openBackend } from '#backend';
import App from './App.svelte';

const target = document.getElementById('app');
if (target) mount(App, { target, props: { backend: await openBackend() } });
